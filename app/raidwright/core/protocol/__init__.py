"""The protocol between the helper and its callers: each verb, step, error and value, declared once for both."""

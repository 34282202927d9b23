"""The protocol between the helper and whoever calls it: each verb, step, error and value, declared once for both."""

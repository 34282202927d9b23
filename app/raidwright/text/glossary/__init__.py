"""The field's terms, each said once: the “?” beside a choice and the documents take them from here."""

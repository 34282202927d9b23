"""The field's terms, each defined once: the “?” beside a choice and the documents use them."""

"""The verbs: their arguments, polkit actions and implementations."""

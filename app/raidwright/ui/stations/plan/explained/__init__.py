"""What stands behind the “?” of each choice: a picture of the stage's kind, and the glossary's words."""

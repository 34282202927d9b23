"""Explanations of each option, opened by “?”: pictures in the stage's style, and the glossary's text."""

"""The stations, each with its view-models and widgets."""

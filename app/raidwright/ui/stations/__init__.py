"""The stations, each with its view-models and its widgets."""

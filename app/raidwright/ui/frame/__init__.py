"""The frame around the stations: bars, menu, notices, and the question before leaving."""

"""The service itself: bus connection, dispatcher, authorisation, jobs, journal."""

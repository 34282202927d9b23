"""The Compare page: kept runs compared with each other, or with predictions."""

"""`doctor`: facts are gathered by one function of a file and judged by another, which is pure."""

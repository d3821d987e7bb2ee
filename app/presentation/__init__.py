"""Values in, plotly figures and the sentences above them out. Pure: no clock, socket, SQL or settings."""

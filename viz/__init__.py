"""Figures and the page: takes small pandas frames, returns Plotly figures and HTML. Knows neither Spark nor logs."""

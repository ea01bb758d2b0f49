"""Figures and the page: small pandas frames in, Plotly figures and HTML out. Knows neither Spark nor logs."""

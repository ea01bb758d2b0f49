"""The job of the Databricks bundle (`databricks.yml`): adds new files to the tables of an incident.

The first run analyzes the files below the paths; each later run adds new and grown files. Unchanged files change
nothing.
"""

from __future__ import annotations

import click
from pyspark.sql import SparkSession

from replay.errors import ReplayError


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--catalog-schema", required=True, help="The catalog and the schema of the tables, as in ops.incidents.")
@click.option("--incident", required=True, help="The name of the incident.")
@click.option("--shared", help="A folder in a volume for the work in between.")
def main(paths: tuple[str, ...], catalog_schema: str, incident: str, shared: str | None) -> None:
    """Add the logs under PATHS to an incident in a schema of the catalog."""
    from pipelines.notebook import Replay  # after the options are checked: Plotly and pandas take a second

    try:
        found = Replay.append(
            SparkSession.builder.getOrCreate(), paths, catalog_schema=catalog_schema, incident=incident, shared=shared
        )
    except ReplayError as error:
        raise click.ClickException(str(error)) from error
    click.echo(repr(found))


if __name__ == "__main__":
    main()

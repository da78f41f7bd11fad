/** A gauge about the record, read from Postgres. */
export interface RecordGauge {
  name: string
  help: string
  /** The columns of the query that are labels. */
  labels?: readonly string[]
  /** Returns rows with the number `value` and the labels. It has a second, and must be cheap with millions of runs. */
  query: string
}

/** The gauges about the record. Every API process answers with the same numbers, so alerts take the maximum. */
export const recordGauges: readonly RecordGauge[] = [
  {
    name: 'switchyard_workers',
    help: 'Workers that are present and poll Temporal.',
    query: `select count(*) as value from workers where polling and seen_at > now() - interval '15 seconds'`,
  },
]

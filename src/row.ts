import { Model, snakeCaseMappers } from 'objection'

/** A row of a table: columns are snake_case, fields camelCase. Queries name their connection: `Run.query(trx)`. */
export class Row extends Model {
  static override columnNameMappers = snakeCaseMappers()
  /** Rows without relations need no import of each other. */
  static override useLimitInFirst = true
}

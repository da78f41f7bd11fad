import { Model } from 'objection'

/**
 * A row of a table. Columns are snake_case, fields camelCase; the pool translates. Queries name
 * their connection: `Run.query(trx)`.
 */
export class Row extends Model {
  /** `findOne` asks for one row, not for all. */
  static override useLimitInFirst = true
}

/** The fields of a row as a plain object, without the model's methods. */
export const fieldsOf = <R extends Row>(row: R): Omit<R, keyof Row> => Object.assign({}, row)

import { Model, type Pojo } from 'objection'
import { fromColumn, mapTexts, toColumn } from './any-text.ts'

/**
 * A row of a table. Columns are snake_case, fields camelCase; the pool translates. Queries name
 * their connection: `Run.query(trx)`.
 */
export class Row extends Model {
  /** Makes `findOne` request one row, not all. */
  static override useLimitInFirst = true
  /** The fields that may hold text that Postgres cannot store unchanged. */
  static anyTexts: readonly string[] = []

  override $parseDatabaseJson(row: Pojo): Pojo {
    return mapTexts(super.$parseDatabaseJson(row), anyTextsOf(this), fromColumn)
  }

  override $formatDatabaseJson(row: Pojo): Pojo {
    return super.$formatDatabaseJson(mapTexts(row, anyTextsOf(this), toColumn))
  }
}

const anyTextsOf = (row: Row): readonly string[] => (row.constructor as typeof Row).anyTexts

/** The fields of a row as a plain object, without the model's methods. */
export const fieldsOf = <R extends Row>(row: R): Omit<R, keyof Row> => Object.assign({}, row)

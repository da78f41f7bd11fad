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

/** SQL that selects the columns of these fields of a row, under the names of the fields. */
export const selecting = (fields: readonly string[], table: string): string =>
  fields.map((field) => `${table}.${columnOf(field)} as "${field}"`).join(', ')

/** SQL for the column of a field. */
export const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A row of a model that a statement has read. Its model has no `anyTexts`. */
export const rowOf = <R extends Row>(model: new () => R, fields: Omit<R, keyof Row>): R =>
  Object.assign(new model(), fields)

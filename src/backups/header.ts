import * as v from 'valibot'
import { BackupFileError, damaged } from './frames.ts'

/** Names and bounds become part of statements, so only what the schema has ever needed is let in. */
const name = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,62}$/))

const bound = v.pipe(v.string(), v.regex(/^(DEFAULT|FOR VALUES FROM \('[0-9a-f-]{36}'\) TO \('[0-9a-f-]{36}'\))$/))

/** What a backup says about itself before its rows. */
const headerSchema = v.object({
  /** The version of Switchyard that made it. */
  version: v.string(),
  /** The time of the data: everything that was committed before it, and nothing else. */
  asOf: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.transform((text) => new Date(text)),
  ),
  /** The applied migrations, oldest first. */
  migrations: v.array(v.string()),
  partitions: v.array(v.object({ parent: name, name, bound })),
  sequences: v.array(v.object({ name, value: v.number(), isCalled: v.boolean() })),
})

const tableSchema = v.object({ table: name, columns: v.array(name) })

const endSchema = v.object({ rows: v.number() })

export type Header = v.InferOutput<typeof headerSchema>
export type TableHead = v.InferOutput<typeof tableSchema>

export const readHeader = (body: Buffer): Header => read(headerSchema, body)
export const readTableHead = (body: Buffer): TableHead => read(tableSchema, body)
export const readTableEnd = (body: Buffer): { rows: number } => read(endSchema, body)

function read<S extends v.GenericSchema>(schema: S, body: Buffer): v.InferOutput<S> {
  try {
    return v.parse(schema, JSON.parse(body.toString()))
  } catch (error) {
    throw new BackupFileError(damaged, { cause: error })
  }
}

export const quotedIdentifier = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

export const columnList = (columns: readonly string[]): string => columns.map(quotedIdentifier).join(', ')

import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { Client } from 'pg'
import { from } from 'pg-copy-streams'
import { columns, type Add, type Table, type Value } from './columns.ts'

/** The number of characters sent at a time. */
const chunk = 1 << 16

/** Connections that take the rows of a table in turn. The indexes of `runs` keep one server process busy. */
const connections: Partial<Record<Table, number>> = { runs: 2 }

/** A COPY is one statement per connection, so each table has its own connection. */
export async function openCopies(connectionString: string) {
  const tables = Object.keys(columns) as Table[]
  const copies = new Map<Table, Awaited<ReturnType<typeof openCopy>>>()
  for (const table of tables) copies.set(table, await openCopy(connectionString, table))
  const all = [...copies.values()]
  const streams = all.flatMap((copy) => copy.streams)
  const add: Add = (table, row) => copies.get(table)?.add(row as Record<string, Value>)

  return {
    add,
    /** Waits until the server has taken most of the added rows, which limits memory. */
    drained: async (): Promise<void> => {
      for (const stream of streams) if (stream.writableNeedDrain) await once(stream, 'drain')
    },
    close: async (): Promise<void> => {
      for (const copy of all) await copy.close()
    },
  }
}

async function openCopy(connectionString: string, table: Table) {
  const names: readonly string[] = columns[table]
  const count = connections[table] ?? 1
  const opened = await Promise.all(Array.from({ length: count }, () => openStream(connectionString, table, names)))
  const streams = opened.map(({ stream }) => stream)
  let text = ''
  let turn = 0
  return {
    streams,
    add(row: Record<string, Value>): void {
      text += textOf(names, row)
      if (text.length < chunk) return
      streams[turn]?.write(text)
      turn = (turn + 1) % count
      text = ''
    },
    async close(): Promise<void> {
      streams[turn]?.write(text)
      for (const { stream, client } of opened) {
        stream.end()
        await finished(stream)
        await client.end()
      }
    },
  }
}

async function openStream(connectionString: string, table: Table, names: readonly string[]) {
  const client = new Client({ connectionString })
  await client.connect()
  // Foreign keys are not checked per row: the rows are consistent by construction, and rows of other connections are
  // not visible yet.
  await client.query('set session_replication_role = replica')
  await client.query('set synchronous_commit = off')
  return { client, stream: client.query(from(`copy ${table} (${names.join(', ')}) from stdin`)) }
}

/** One line of COPY's text format. Values must already be escaped (`escaped`); most need no escaping. */
function textOf(names: readonly string[], row: Record<string, Value | undefined>): string {
  let line = ''
  for (let index = 0; index < names.length; index += 1) {
    const value = row[names[index] as string]
    line += value === null || value === undefined ? '\\N' : value
    line += index === names.length - 1 ? '\n' : '\t'
  }
  return line
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r' }

/** Escapes a text for COPY's text format. */
export const escaped = (text: string): string => text.replaceAll(/[\\\n\t\r]/g, (found) => escapes[found] ?? found)

import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Database } from '../../src/database/database.ts'
import { newId } from '../../src/ids.ts'
import { open } from '../helpers/client.ts'
import type { Person } from '../helpers/people.ts'

/** Begins to read an export, and stops after its first bytes. */
export async function begin(someone: Pick<Person, 'url' | 'token'>, path = '/auth/me/export') {
  const answer = await open(someone.url + path, { authorization: `Bearer ${someone.token}` })
  const body = answer.body as Readable
  // So that a body that nobody reads any more is no failure of the test.
  body.on('error', () => undefined)
  let text = ''
  if (answer.statusCode === 200) {
    await once(body, 'readable')
    text += String(body.read())
  }
  return {
    status: answer.statusCode,
    headers: answer.headers,
    leave: () => void body.destroy(),
    /** Reads the rest. Fails if the connection is cut. */
    async rest(): Promise<string> {
      const parts: Uint8Array[] = [Buffer.from(text)]
      for await (const part of body) parts.push(part as Uint8Array)
      return Buffer.concat(parts).toString()
    },
  }
}

/** Makes so many notifications of an owner, of about 4 kB each unless they are to have fewer words. */
export const notify = async (database: Database, ownerId: string, count: number, words = 800): Promise<void> =>
  void (await database.raw(notifyStatement, { ownerId, words, ids: Array.from({ length: count }, () => newId()) }))

const notifyStatement = `
  insert into notifications (id, owner_id, subject_id, created_at, kind, dedupe_key, mail_status, mailed_at, mail_attempts,
                             console_page, title, message)
  select id, :ownerId, :ownerId, now(), 'agent_failing', id::text, 'sent', now(), 0, '/console', 'A run failed', repeat('word ', :words::int)
    from unnest(:ids::uuid[]) as t (id)`

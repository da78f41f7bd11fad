import { Client, escapeIdentifier } from 'pg'

/** Says that a rehearsal made the database, so that a later one may drop it. */
const mark = 'A copy that npm run admin -- rehearse-upgrade made'

/** Postgres cuts longer names. */
const longestName = 63
const suffix = '_rehearsal'

/** A second, empty database on the same server. */
export interface CopyDatabase {
  name: string
  url: string
  /** Cuts off everything that is connected to it. */
  drop: () => Promise<void>
}

/**
 * Creates the database for a copy beside the live one, after dropping what an interrupted rehearsal left behind. Throws
 * a sentence if it exists and is in use or was not made for this, or if the user may not create databases.
 */
export async function createCopyDatabase(liveUrl: string): Promise<CopyDatabase> {
  const live = new URL(liveUrl)
  const copy = new URL(liveUrl)
  const name = `${decodeURIComponent(live.pathname.slice(1)).slice(0, longestName - suffix.length)}${suffix}`
  copy.pathname = `/${encodeURIComponent(name)}`
  await connected(liveUrl, async (client) => {
    await dropAbandoned(client, name)
    await client.query(`create database ${escapeIdentifier(name)} template template0`).catch(refused)
    await client.query(`comment on database ${escapeIdentifier(name)} is '${mark}'`)
  })
  const drop = (client: Client) => client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
  return { name, url: copy.href, drop: async () => void (await connected(liveUrl, drop)) }
}

async function dropAbandoned(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ comment: string | null; users: number }>(foundStatement, [name])
  const [found] = rows
  if (!found) return
  if (found.comment !== mark)
    throw new Error(`The database ${name} exists and is not a rehearsal's. Rename or drop it, and try again.`)
  if (found.users > 0)
    throw new Error(`Another rehearsal is using the database ${name}. Wait until it has ended, and try again.`)
  await client.query(`drop database ${escapeIdentifier(name)}`)
}

const foundStatement = `
  select shobj_description(d.oid, 'pg_database') as comment,
         (select count(*)::int from pg_stat_activity a where a.datid = d.oid and a.backend_type = 'client backend') as users
    from pg_database d where d.datname = $1`

function refused(error: { code?: string; message: string }): never {
  if (error.code !== '42501') throw error
  const text = `The user of DATABASE_URL may not create databases. As an administrator of Postgres, run: alter role <user> createdb`
  throw new Error(text, { cause: error })
}

async function connected<T>(connectionString: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString, application_name: 'switchyard rehearsal' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

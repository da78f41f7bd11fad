import { randomBytes } from 'node:crypto'
import { newId } from '../../src/ids.ts'
import type { Services } from '../../src/services.ts'
import { createAccessTokens } from '../../src/users/access-tokens.ts'

/**
 * Copies of users that the API created. Registering and subscribing cost more than most tests, so each platform does
 * it once per kind of user and copies the rows for later users of that kind.
 */

const ofOwner = 'owner_id = ?'

/**
 * The rows of a user after registering, logging in and subscribing, by table. The mailed token is not copied, so a
 * test that verifies an address must register it.
 */
const tables: Record<string, string> = {
  users: 'id = ?',
  logins: 'user_id = ?',
  refresh_tokens: 'login_id in (select id from logins where user_id = ?)',
  accounts: ofOwner,
  payment_methods: ofOwner,
  payments: ofOwner,
  credit_grants: ofOwner,
  ledger_entries: ofOwner,
  audit_entries: ofOwner,
  sandbox_customers: ofOwner,
  sandbox_cards: ofOwner,
  sandbox_subscriptions: ofOwner,
  sandbox_payments: ofOwner,
  sandbox_requests: ofOwner,
}

/** The rows of a user by table, as JSON. A copy replaces the ids. */
interface Original {
  email: string
  password: string
  rows: [table: string, json: string][]
}

type Made = Pick<Original, 'email' | 'password'> & { token: string }

const tokenHash = /"token_hash": "[\w-]+"/g

/** Tokens are unique, and no test needs those of a copy. */
const anotherHash = (): string => `"token_hash": "${randomBytes(32).toString('base64url')}"`

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** The platforms of this process with a real clock, by address, with their originals by kind. */
const platforms = new Map<string, { services: Services; originals: Map<string, Promise<Original>> }>()

/**
 * Allows copies of a platform's users. Returns a function that ends this with the platform, because another platform
 * may get its port.
 */
export function allowCopies(url: string, services: Services): () => void {
  platforms.set(url, { services, originals: new Map() })
  return () => void platforms.delete(url)
}

/** A user of this kind: the first is created, later ones are copies. Where copies are not allowed, each is created. */
export async function userOfKind<T extends Made>(url: string, kind: string, make: () => Promise<T>): Promise<Made> {
  const platform = platforms.get(url)
  if (!platform) return make()
  const { services, originals } = platform
  const known = originals.get(kind)
  if (known) return copyOf(services, await known)
  // Simultaneous tests wait for the original. No test gets the original itself, because a test could change it.
  const original = make().then((made) => read(services, made))
  originals.set(kind, original)
  return copyOf(services, await original)
}

async function read({ database }: Services, { email, password }: Made): Promise<Original> {
  const { id } = (await database('users').where({ email }).first('id')) as { id: string }
  const rows = await Promise.all(
    Object.entries(tables).map(async ([table, condition]): Promise<[string, string]> => {
      const query = `select jsonb_agg(to_jsonb(found) - 'arrival')::text as json from ${table} found where ${condition}`
      const { rows: found } = await database.raw<{ rows: { json: string | null }[] }>(query, [id])
      return [table, found[0]?.json ?? '[]']
    }),
  )
  return { email, password, rows: rows.filter(([, json]) => json !== '[]') }
}

/** Writes a copy with another address, in one message to Postgres. */
async function copyOf({ database, clock, config }: Services, original: Original): Promise<Made> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const rename = renaming(original)
  const rows = original.rows.map(([table, json]): [string, string] => [
    table,
    rename(json).replaceAll(original.email, email).replaceAll(tokenHash, anotherHash),
  ])
  // Without parameters, Postgres accepts several statements in one message, as one transaction.
  await database.raw(rows.map(([table, json]) => insert(table, json)).join(';'))
  const login = firstOf(new Map(rows).get('logins') ?? '[]') as { id: string; user_id: string }
  const tokens = createAccessTokens({ clock, config })
  const token = await tokens.sign({ userId: login.user_id, loginId: login.id }, config.auth.accessTokenSeconds)
  return { token, email, password: original.password }
}

/** Replaces every id. New ids keep the order of the old ones, because ids sort by time. */
function renaming({ rows }: Original): (json: string) => string {
  const old = new Set(rows.flatMap(([, json]) => json.match(uuid) ?? []))
  const renamed = new Map([...old].toSorted().map((id) => [id, newId()]))
  return (json) => json.replaceAll(uuid, (id) => renamed.get(id) ?? id)
}

function insert(table: string, json: string): string {
  const columns = Object.keys(firstOf(json)).join(', ')
  const rows = `jsonb_populate_recordset(null::${table}, $json$${json}$json$)`
  return `insert into ${table} (${columns}) select ${columns} from ${rows}`
}

const firstOf = (json: string): object => (JSON.parse(json) as object[])[0] ?? {}

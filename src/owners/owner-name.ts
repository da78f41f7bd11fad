import type { Database } from '../database/database.ts'
import { addressInWords, quotedName } from '../names.ts'

interface Named {
  name: string | null
  payerId: string
  email: string
  isVerified: boolean
}

/**
 * Names an owner in a sentence that strangers may read. A workspace's name never reads like an account. An address
 * appears only if it is verified, because anyone can register the reader's address.
 */
export async function ownerName(database: Database, ownerId: string): Promise<string> {
  const { rows } = await database.raw<{ rows: [Named] }>(statement, { ownerId })
  const [{ name, payerId, email, isVerified }] = rows
  const address = addressInWords(email)
  const account = isVerified ? address : `${payerId}, whose email address is not verified`
  if (name === null) return `the account ${account}`
  return `the workspace ${quotedName(name)} of ${isVerified ? address : `the account ${account}`}`
}

const statement = `
  select w.name, u.id as "payerId", u.email, u.email_verified_at is not null as "isVerified"
    from (values (:ownerId::uuid)) as owner (id)
    left join workspaces w on w.id = owner.id
    join users u on u.id = coalesce(w.payer_id, owner.id)`

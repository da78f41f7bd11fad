import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { createSealing, type Sealing } from './sealing.ts'
import { VaultCanary } from './vault-canary.ts'

/** The configured keys differ from those that the database was written with. One sentence per wrong key. */
export class VaultKeysError extends Error {
  override readonly name = 'VaultKeysError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The vault keys are unusable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

export type VaultKey = Config['vaultKeys'][number]

interface AtStart {
  logger: Logger
  refuse: (error: VaultKeysError) => void
}

const plain = 'switchyard'
const retryMs = 500

/**
 * Verifies the vault keys with canaries: a known text, sealed under each key and kept in the database, shows whether
 * this process has the right keys.
 */
export function createVaultKeys(context: {
  database: Database
  clock: Clock
  sealing: Sealing
  keys: Config['vaultKeys']
}) {
  const { database, clock, sealing, keys } = context

  const wrongKeys = (canaries: VaultCanary[]): string[] =>
    canaries.flatMap(({ keyName, sealed }) => {
      const key = keys.find(({ name }) => name === keyName)
      return key && !opens(key, sealed, canaryPlace(keyName)) ? [wrong(keyName)] : []
    })

  const missingKeys = (canaries: VaultCanary[]): string[] =>
    canaries
      .filter(({ keyName, retiredAt }) => retiredAt === null && !keys.some(({ name }) => name === keyName))
      .map(({ keyName }) => missing(keyName))

  async function addCanary(trx: Transaction, key: VaultKey): Promise<void> {
    const sealed = createSealing([key]).seal(plain, canaryPlace(key.name))
    await VaultCanary.query(trx).insert({ keyName: key.name, sealed, createdAt: clock.now() })
  }

  /**
   * Proves that every key in use is configured and right, and adds a canary for each new key. Otherwise throws a
   * VaultKeysError and writes nothing. Errors of Postgres pass through.
   */
  const prove = (): Promise<void> =>
    database.transaction(async (trx) => {
      // One process at a time: two that start with different keys must not both find an empty table.
      await trx.raw('lock table vault_canaries in share row exclusive mode')
      const canaries = await readCanaries(trx)
      const problems = [...wrongKeys(canaries), ...missingKeys(canaries)]
      if (problems.length > 0) throw new VaultKeysError(problems)
      for (const key of keys) if (!canaries.some(({ keyName }) => keyName === key.name)) await addCanary(trx, key)
      // The current key may be sealing again.
      const current = VaultCanary.query(trx).where({ keyName: keys[0]?.name ?? '' })
      await current.whereNotNull('retiredAt').patch({ retiredAt: null })
    })

  /** Retries until the keys are proved or the start is refused. Does not keep the process alive. */
  async function proveLater({ logger, refuse }: AtStart): Promise<void> {
    for (;;) {
      await delay(retryMs, undefined, { ref: false })
      try {
        await prove()
        sealing.release()
        return logger.info('vault keys verified')
      } catch (error) {
        if (error instanceof VaultKeysError) return refuse(error)
      }
    }
  }

  /**
   * Proves the keys before a process serves. If they are wrong, calls `refuse`. If Postgres is unavailable, it retries in
   * the background, and nothing is sealed or opened until then.
   */
  async function proveAtStart({ logger, refuse }: AtStart): Promise<void> {
    sealing.hold()
    try {
      await prove()
      sealing.release()
    } catch (error) {
      if (error instanceof VaultKeysError) return refuse(error)
      logger.warn(
        { err: error },
        'cannot verify the vault keys yet; nothing will be encrypted or decrypted until they are verified',
      )
      void proveLater({ logger, refuse })
    }
  }

  /**
   * Proves before a rotation that the configured keys are right and that a process has started with the current one.
   * Writes nothing, and ignores keys that are not configured. Throws a VaultKeysError.
   */
  async function proveForRotation(): Promise<void> {
    const canaries = await readCanaries(database)
    const problems = wrongKeys(canaries)
    const current = keys[0]?.name ?? ''
    if (!canaries.some(({ keyName }) => keyName === current)) problems.push(unknown(current))
    if (problems.length > 0) throw new VaultKeysError(problems)
  }

  /** A sentence for each wrong or missing key. Writes nothing. */
  async function problems(): Promise<string[]> {
    const canaries = await readCanaries(database)
    return [...wrongKeys(canaries), ...missingKeys(canaries)]
  }

  return { prove, proveAtStart, proveForRotation, problems }
}

const canaryPlace = (keyName: string) => ({ id: keyName, column: 'vault_canaries.sealed' })

const readCanaries = async (db: Database | Transaction): Promise<VaultCanary[]> =>
  VaultCanary.query(db).orderBy('keyName')

function opens(key: VaultKey, sealed: string, place: { id: string; column: string }): boolean {
  try {
    createSealing([key]).open(sealed, place)
    return true
  } catch {
    return false
  }
}

const wrong = (name: string): string =>
  `The key "${name}" in VAULT_KEYS differs from the key "${name}" that this database was written with. Restore the original ` +
  'key. A new key must have a name that has never been used.'
const missing = (name: string): string =>
  `The key "${name}" is in use, but VAULT_KEYS does not list it. Add it to VAULT_KEYS again. Remove a key only after ` +
  '`npm run admin -- rotate-keys` has finished.'
const unknown = (name: string): string =>
  `No process has started with the key "${name}" yet. First start the API and the workers with it in VAULT_KEYS. ` +
  'Without it, they cannot read values that are sealed with it.'

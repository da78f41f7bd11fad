import { migrations } from '../migrations/index.ts'
import { systemClock } from '../src/clock.ts'
import { readVaultConfig } from '../src/config/config.ts'
import { ConfigError } from '../src/config/environment.ts'
import { createDatabase } from '../src/database/database.ts'
import { assertSchema, OtherSchemaError } from '../src/database/migrate.ts'
import { createLogger } from '../src/logger.ts'
import { createSealing } from '../src/secrets/sealing.ts'
import { createVaultKeys, VaultKeysError } from '../src/secrets/vault-keys.ts'
import { settingsOfCommand } from './beside-start.ts'
import { createVaultRotation, type RotationReport, type OnProgress } from '../src/secrets/vault-rotation.ts'

/** `npm run vault:rotate`: reseals everything under the first of VAULT_KEYS, while the platform runs. */
async function main(): Promise<void> {
  const config = readVaultConfig(settingsOfCommand())
  const database = createDatabase(config, createLogger('warn', 'vault-rotate'))
  const context = { database, clock: systemClock, keys: config.vaultKeys }
  try {
    await assertSchema(database, migrations)
    await createVaultKeys({ ...context, sealing: createSealing(config.vaultKeys) }).proveForRotation()
    const report = await createVaultRotation({ ...context, onProgress: printProgress }).rotate()
    printReport(report, config.vaultKeys[0]?.name ?? '')
    if (report.unreadable.length > 0) process.exitCode = 1
  } finally {
    await database.destroy()
  }
}

const number = (value: number): string => value.toLocaleString('en-US')

const printProgress: OnProgress = (column, done, total) => console.log(`${column}: ${number(done)} of ${number(total)}`)

function printReport({ rotated, unreadable, removable }: RotationReport, current: string): void {
  console.log(rotated > 0 ? `Sealed ${number(rotated)} values under the key "${current}".` : 'Nothing to do.')
  for (const { table, id, keyName } of unreadable) {
    console.error(`${table} ${id}: sealed under the key "${keyName}", which is not in VAULT_KEYS or does not open it.`)
  }
  if (removable.length === 0) return
  console.log(
    `Nothing is sealed under these keys any more; they can be removed from VAULT_KEYS: ${removable.join(', ')}`,
  )
}

main().catch((error: unknown) => {
  const { code, message } = error as { code?: unknown; message: string }
  const refused = [ConfigError, VaultKeysError, OtherSchemaError].some((refusal) => error instanceof refusal)
  const stopped = `The rotation stopped${typeof code === 'string' ? ` (${code})` : ''}, and is safe to repeat: ${message}`
  console.error(refused ? message : stopped)
  process.exitCode = 1
})

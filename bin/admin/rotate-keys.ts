import { databaseClock } from '../../src/clock.ts'
import { readVaultConfig } from '../../src/config/command-config.ts'
import { ConfigError } from '../../src/config/environment.ts'
import { createSealing } from '../../src/secrets/sealing.ts'
import { createVaultKeys, VaultKeysError } from '../../src/secrets/vault-keys.ts'
import { createVaultRotation, type RotationReport, type OnProgress } from '../../src/secrets/vault-rotation.ts'
import type { AdminCommand } from './admin-command.ts'

export const rotateKeys: AdminCommand = {
  takes: '',
  does: 're-encrypts every secret with the first key of VAULT_KEYS while the platform keeps running',
  async work(database, { settings }) {
    try {
      const { vaultKeys: keys } = readVaultConfig(settings)
      const context = { database, clock: databaseClock, keys }
      await createVaultKeys({ ...context, sealing: createSealing(keys) }).proveForRotation()
      const report = await createVaultRotation({ ...context, onProgress: printProgress }).rotate()
      printUnreadable(report)
      return inWords(report, keys[0]?.name ?? '')
    } catch (error) {
      throw stopped(error)
    }
  },
}

const number = (value: number): string => value.toLocaleString('en-US')

const printProgress: OnProgress = (column, done, total) => console.log(`${column}: ${number(done)} of ${number(total)}`)

/** Makes the command fail, although everything else is done. */
function printUnreadable({ unreadable }: RotationReport): void {
  for (const { table, id, keyName } of unreadable) {
    console.error(
      `${table} ${id}: cannot be opened. It was sealed under the key "${keyName}", which is missing from VAULT_KEYS or has a different value there.`,
    )
    process.exitCode = 1
  }
}

function inWords({ rotated, removable }: RotationReport, current: string): string {
  const done = rotated > 0 ? `Sealed ${number(rotated)} values under the key "${current}".` : 'Nothing to do.'
  if (removable.length === 0) return done
  return `${done}\nThese keys are no longer used. Remove them from VAULT_KEYS: ${removable.join(', ')}`
}

function stopped(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof VaultKeysError) return error
  const { code, message } = error as { code?: unknown; message: string }
  return new Error(
    `The rotation stopped${typeof code === 'string' ? ` (${code})` : ''}. You can safely run it again. ${message}`,
    { cause: error },
  )
}

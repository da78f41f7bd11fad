import { fileURLToPath } from 'node:url'
import { execa } from '../../../bin/execa.ts'
import { ownEnvironment } from '../../helpers/servers.ts'

const program = fileURLToPath(new URL('../../../bin/admin.ts', import.meta.url))

/** `npm run admin -- <words>`. Returns what it says; throws if it fails. */
export async function admin(env: Record<string, string>, ...words: string[]): Promise<string> {
  const options = { env: { ...ownEnvironment(), ...env }, extendEnv: false, reject: false }
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, ...words], options)
  if (exitCode !== 0) throw new Error(`admin ${words[0]} failed: ${stderr}`)
  return stdout
}

import { fileURLToPath } from 'node:url'
import { execa } from '../../bin/execa.ts'
import { ownEnvironment } from './servers.ts'

const program = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url))

/** What `npm run admin -- doctor` prints with these settings, and its exit code. */
export async function runDoctor(env: Record<string, string>, ...words: string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, 'doctor', ...words], {
    env: { ...ownEnvironment(), ...env },
    extendEnv: false,
    reject: false,
  })
  return { exitCode, stderr, lines: stdout.split('\n') }
}

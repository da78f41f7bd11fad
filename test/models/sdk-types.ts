import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024', '--types', '']

/** A request body, and the type of an SDK that it has to fit, such as `import('openai').Thing`. */
export interface Typed {
  name: string
  type: string
  body: object
}

/**
 * The compiler's complaints about each body, by its name. Each is written as a literal: only in literals does the
 * compiler object to members that the type does not know.
 */
export async function complaintsAbout(t: ExecutionContext, bodies: Typed[]): Promise<Record<string, string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-types-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  symlinkSync(modules, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  for (const { name, type, body } of bodies) {
    writeFileSync(join(folder, `${name}.ts`), `export const body: ${type} = ${JSON.stringify(body)}\n`)
  }
  const files = bodies.map(({ name }) => `${name}.ts`)
  const output = await new Promise<string>((resolve) => {
    const tsc = join(modules, 'typescript', 'bin', 'tsc')
    execFile(process.execPath, [tsc, ...flags, ...files], { cwd: folder }, (_, stdout) => resolve(stdout))
  })
  const lines = output.split('\n')
  return Object.fromEntries(bodies.map(({ name }) => [name, lines.filter((line) => line.startsWith(`${name}.ts(`))]))
}

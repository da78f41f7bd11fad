import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from '../execa.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const mark = `${root}console/dist/built-from`

/** Builds the console if its sources changed since the last time. */
export async function buildConsole(say: (text: string) => void): Promise<void> {
  const sources = hashOfSources()
  if (existsSync(mark) && readFileSync(mark, 'utf8') === sources) return
  say('Building the console ...')
  // A process of its own, because React is three times as large if the caller's NODE_ENV is "test".
  const options = ['build', '--config', 'console/vite.config.ts', '--logLevel', 'warn']
  await execa('vite', options, { cwd: root, preferLocal: true, env: { NODE_ENV: 'production' } })
  writeFileSync(mark, sources)
}

function hashOfSources(): string {
  const files = globSync(['console/**/*.{ts,tsx,css,html,svg}', 'package-lock.json'], {
    cwd: root,
    exclude: (name) => name === 'dist' || name === 'test',
  })
  const hash = createHash('sha256')
  for (const file of files.toSorted())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(root + file))
      .update('\0')
  return hash.digest('hex')
}

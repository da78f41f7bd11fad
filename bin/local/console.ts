import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const mark = `${root}console/dist/built-from`

/** Builds the console if its sources changed since the last time. */
export async function buildConsole(say: (text: string) => void): Promise<void> {
  const sources = hashOfSources()
  if (existsSync(mark) && readFileSync(mark, 'utf8') === sources) return
  say('Building the console ...')
  // Only for a build, because it takes a second to load and is missing in an image, which is built already.
  const { build } = await import('vite')
  await build({ configFile: `${root}console/vite.config.ts`, logLevel: 'warn' })
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

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from '../../bin/execa.ts'
import { textIfExists } from '../../bin/local/write-file.ts'

const folder = fileURLToPath(new URL('../peers', import.meta.url))
const mark = `${folder}/node_modules/.installed`

/** Installs what the platform is compared with, unless exactly that is installed. */
export async function installPeers(): Promise<void> {
  const wanted = createHash('sha256')
    .update(readFileSync(`${folder}/package-lock.json`))
    .digest('hex')
  if (textIfExists(mark) === wanted) return
  console.log('Installing the peers in bench/peers (about 250 MB) …')
  await execa('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  writeFileSync(mark, wanted)
}

/** The version of an installed peer. */
export function versionOf(name: string): string {
  const text = readFileSync(`${folder}/node_modules/${name}/package.json`, 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

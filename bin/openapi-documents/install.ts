import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from '../execa.ts'
import { printDuration } from '../local/print-duration.ts'

/** Makes a server that answers by a document, and checks the requests by it. It brings two hundred packages. */
const mock = '@stoplight/prism-cli@5.16.0'

/** Gets a package alone, because only a document in it is wanted. Returns its folder. */
export async function unpack(pack: string, folder: string): Promise<string> {
  const own = join(folder, pack.replaceAll(/[^\w.-]/g, '_'))
  mkdirSync(own, { recursive: true })
  const options = { cwd: own, stdin: 'ignore' } as const
  const { stdout } = await printDuration(`npm pack ${pack}`, () =>
    execa('npm', ['pack', '--silent', '--ignore-scripts', pack], options),
  )
  await execa('tar', ['-xzf', stdout.trim().split('\n').at(-1) ?? ''], options)
  return join(own, 'package')
}

/** Installs the program that makes mock servers. Returns its path. */
export async function installMock(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const given = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error', mock]
  await printDuration(`npm install ${mock}`, () => execa('npm', given, { cwd: folder, stdin: 'ignore' }))
  return join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js')
}

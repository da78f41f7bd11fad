import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../src/config/local-config.ts'
import { preparePython, prepareTypeScript, type Program } from './clients/prepare.ts'
import { tokenOfSite } from './local/ask-site.ts'
import { withOwnStart } from './local/own-start.ts'
import type { Addresses } from './local/stack.ts'

/**
 * `npm run check -- clients`: generates a TypeScript and a Python client from docs/openapi.json, type-checks the
 * programs in clients/ strictly, and runs the tour with both against its own `npm start`. Installs what it needs.
 * Without Python or its packages, it skips the Python client and says so.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

const main = (): Promise<void> =>
  withOwnStart('clients', {}, async ({ ready }) => {
    const programs = [await prepareTypeScript(root), await preparePython(root)]
    const addresses = await ready
    for (const program of programs) if (program) await tour(program, addresses)
  })

/** A person makes a token at the site; the program does everything else. */
async function tour({ name, command, args, env }: Program, addresses: Addresses): Promise<void> {
  console.log(`\n━━ The tour with the ${name} client`)
  const { api, sites } = addresses
  const child = spawn(command, [...args, api, sites[0] ?? '', await tokenOfSite(addresses)], {
    cwd: root,
    env: { ...readLocalConfig().environment, ...env },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The ${name} client exited with ${code}.`)
}

await main().catch((error: unknown) => {
  console.error(`\nThe clients failed: ${(error as Error).message}`)
  process.exitCode = 1
})

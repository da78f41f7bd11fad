import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../src/config/local-config.ts'
import { preparePython, prepareTypeScript, type Program } from './clients/prepare.ts'
import { besideOwnStart } from './local/own-start.ts'
import type { Addresses } from './local/stack.ts'
import { tokenOfSite } from './tour/client.ts'

/**
 * `npm run check -- clients`: generates a client in TypeScript and one in Python from docs/openapi.json, checks the programs in
 * clients/ with strict types, and has both do the tour with an `npm start` of their own. Installs what it needs; the
 * Python client is left out, visibly, where Python or its packages cannot be had.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

const main = (): Promise<void> =>
  besideOwnStart('clients', {}, async ({ ready }) => {
    const programs = [await prepareTypeScript(root), await preparePython(root)]
    const addresses = await ready
    for (const program of programs) if (program) await tour(program, addresses)
  })

/** A person makes a token at the site; everything else is up to the program. */
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

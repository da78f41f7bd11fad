import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from '../execa.ts'
import { pythonPackages } from '../local/python.ts'
import { printDuration } from '../local/print-duration.ts'

/** A program that is ready to run. It takes the addresses of the API and a site, and a token for the site. */
export interface Program {
  name: string
  command: string
  args: string[]
  env?: Record<string, string>
}

const document = 'docs/openapi.json'

/** Installs the generator, generates the client, and type-checks the program. Throws if a step fails. */
export async function prepareTypeScript(root: string): Promise<Program> {
  const cwd = join(root, 'clients')
  await step('npm ci in clients/', () => execa('npm', ['ci', '--no-audit', '--no-fund'], { cwd }))
  const bin = (name: string) => join(cwd, 'node_modules/.bin', name)
  // Otherwise members with defaults would be required in requests.
  const options = ['--output', 'generated/api.d.ts', '--default-non-nullable', 'false']
  await step('openapi-typescript', () => execa(bin('openapi-typescript'), [join(root, document), ...options], { cwd }))
  await step('tsc --strict', () => execa(bin('tsc'), ['--project', 'tsconfig.json'], { cwd }))
  return { name: 'TypeScript', command: process.execPath, args: ['clients/tour.ts'] }
}

/** The same in Python. Prints a line and returns undefined without Python 3.11 or its packages. */
export async function preparePython(root: string): Promise<Program | undefined> {
  const cwd = join(root, 'clients')
  const packages = await pythonPackages(join(cwd, 'requirements.txt'), join(cwd, 'generated/venv'))
  if ('problem' in packages) {
    console.log(`The Python client is left out: ${packages.problem}`)
    return undefined
  }
  const { bin } = packages
  const target = 'generated/python/switchyard_client'
  rmSync(join(cwd, target), { recursive: true, force: true })
  mkdirSync(join(cwd, 'generated/python'), { recursive: true })
  const options = ['--config', 'generate.yaml', '--meta', 'none', '--output-path', target]
  const generate = ['generate', '--path', join(root, document), ...options, '--fail-on-warning']
  await step('openapi-python-client', () => execa(bin('openapi-python-client'), generate, { cwd }))
  await step('mypy --strict', () => execa(bin('mypy'), ['tour.py'], { cwd }))
  const env = { PYTHONPATH: join(cwd, 'generated/python') }
  return { name: 'Python', command: bin('python'), args: ['clients/tour.py'], env }
}

/** Runs a command of the preparation. Throws an error with its output. */
async function step(name: string, run: () => PromiseLike<unknown>): Promise<void> {
  await printDuration(name, async () => {
    try {
      await run()
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      throw new Error(`${name} failed:\n${stdout}\n${stderr}`, { cause: error })
    }
  })
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from '../execa.ts'
import { freePorts } from '../local/ports.ts'
import { printDuration } from '../local/print-duration.ts'
import { send } from '../tour/client.ts'
import { allowClient } from './allow-client.ts'

/** The inspector and its exact version. It is installed on demand, because it brings a hundred packages of its own. */
const [inspector, version] = ['@modelcontextprotocol/inspector', '2.12.0']

interface Tour {
  folder: string
  api: string
  /** An access token, which creates an agent and answers the inspector's request for access. */
  token: string
}

interface Output {
  tools?: { name: string }[]
  content?: { text: string }[]
}

/**
 * Takes the official inspector's command line through `/mcp`: it signs in with OAuth, lists the tools, runs an agent,
 * and reads the run. Returns what went wrong.
 */
export async function tourInspector({ folder, api, token }: Tour): Promise<string[]> {
  const program = await install(folder)
  const agent = { name: 'Toured', trigger: 'manual', systemPrompt: 'Report.' }
  const headers = { Authorization: `Bearer ${token}` }
  await send({ method: 'POST', url: `${api}/agents`, headers, body: agent })

  const callbackUrl = freePorts(1).then(([port]) => `http://127.0.0.1:${port}/oauth/callback`)
  async function inspect(...given: string[]): Promise<Output> {
    const target = [`${api}/mcp`, '--transport', 'http', '--callback-url', await callbackUrl]
    // Without a terminal, it signs in only if it may open a browser. It finds none.
    const env = { HOME: folder, MCP_AUTO_OPEN_ENABLED: 'true', PATH: folder }
    const signIn = async function* watch(line: string) {
      const address = /http\S+\/mcp\/authorize\?\S+/.exec(line)?.[0]
      if (address !== undefined) await allowClient(address, token)
      yield line
    }
    const options = { cwd: folder, env, stdin: 'ignore', stderr: signIn, timeout: 60_000 } as const
    const { stdout } = await execa(process.execPath, [program, '--cli', ...target, ...given], options)
    return JSON.parse(stdout.slice(stdout.indexOf('{'))) as Output
  }
  const use = async (name: string, ...args: string[]) => {
    const { content } = await inspect('--method', 'tools/call', '--tool-name', name, ...args)
    return JSON.parse(content?.[0]?.text ?? '{}') as Record<string, unknown>
  }

  const { tools = [] } = await inspect('--method', 'tools/list')
  const names = tools.map(({ name }) => name)
  const runName = names.find((name) => name.startsWith('run_toured_')) ?? 'run_toured'
  const missing = ['get_run', 'list_runs', runName, 'why'].filter((name) => !names.includes(name))
  const run = await use(runName)
  const read = await use('get_run', '--tool-arg', `runId=${String(run['runId'])}`)
  const isSame = run['status'] === 'completed' && read['id'] === run['runId'] && read['answer'] === run['answer']
  return [
    ...missing.map((name) => `The inspector did not list ${name}.`),
    ...(isSame ? [] : [`The inspector got ${JSON.stringify({ run, read })}.`]),
  ]
}

async function install(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const given = ['install', '--no-audit', '--no-fund', '--loglevel', 'error', `${inspector}@${version}`]
  await printDuration(`npm install ${inspector}@${version}`, () =>
    execa('npm', given, { cwd: folder, stdin: 'ignore' }),
  )
  return join(folder, 'node_modules/.bin/mcp-inspector')
}

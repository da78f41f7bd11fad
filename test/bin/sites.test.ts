import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { sharedServers } from '../helpers/servers.ts'
import { askSite } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const redirectUri = 'http://127.0.0.1:3999/vault/oauth/callback'

/** Starts the sites as `npm start` does, and waits until all have told where they are. */
async function startProcess(t: ExecutionContext) {
  const args = ['--certs', sharedServers().certificates, '--ports', '0,0,0,0', '--redirect-uri', redirectUri]
  const child = spawn(process.execPath, ['bin/sites.ts', ...args])
  t.teardown(() => child.kill('SIGKILL'))
  const lines: { site: string; origin: string }[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(JSON.parse(line) as { site: string; origin: string })
    if (lines.length === 4) break
  }
  return { child, lines }
}

const exitCode = async (child: ChildProcessWithoutNullStreams): Promise<unknown> =>
  child.exitCode ?? (await once(child, 'exit'))[0]

const sites = forWholeFile(test, 'sites', startProcess)

test('every site says where it listens, and is there', async (t) => {
  const { lines } = await sites()
  t.deepEqual(
    lines.map(({ site }) => site),
    ['issue-tracker', 'bad-tools', 'broken-manifest', 'contacts'],
  )
  for (const { origin } of lines) t.is((await askSite(`${origin}/.well-known/toolsite.json`)).status, 200)
})

test('the site that uses OAuth sends browsers back to the address that it is told', async (t) => {
  const { lines } = await sites()
  for (const [asked, status] of [
    [redirectUri, 303],
    ['http://127.0.0.1:3000/vault/oauth/callback', 400],
  ] as const) {
    const query = new URLSearchParams({
      client_id: 'switchyard',
      response_type: 'code',
      scope: 'read',
      redirect_uri: asked,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    t.is((await askSite(`${lines.at(-1)?.origin}/oauth/authorize?${query.toString()}`)).status, status)
  }
})

test('the sites end with the parent that holds their standard input', async (t) => {
  const { child } = await startProcess(t)
  child.stdin.end()
  t.is(await exitCode(child), 0)
})

test('the sites end when they are told to', async (t) => {
  const { child } = await startProcess(t)
  child.kill('SIGTERM')
  t.is(await exitCode(child), 0)
})

test('without folder and ports there is a usage line', async (t) => {
  const child = spawn(process.execPath, ['bin/sites.ts', '--ports', '1,2'])
  t.is(await exitCode(child), 2)
})

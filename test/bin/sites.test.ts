import { execa } from '../../bin/execa.ts'
import test from 'ava'
import { sharedServers } from '../helpers/servers.ts'
import { askSite } from '../helpers/sites.ts'

const redirectUri = 'http://127.0.0.1:3999/vault/oauth/callback'

test('every site says where it listens, and all end when they are told to, or with the parent that holds their input', async (t) => {
  for (const end of ['SIGTERM', 'input'] as const) {
    const args = ['--certs', sharedServers().certificates, '--ports', '0,0,0,0', '--redirect-uri', redirectUri]
    const running = execa(process.execPath, ['bin/sites.ts', ...args], { stdin: 'pipe', reject: false })
    t.teardown(() => running.kill('SIGKILL'))
    const lines: { site: string; origin: string }[] = []
    for await (const line of running) {
      lines.push(JSON.parse(line) as { site: string; origin: string })
      if (lines.length < 4) continue
      if (end === 'SIGTERM') await eachIsThere(lines)
      if (end === 'SIGTERM') running.kill('SIGTERM')
      else running.stdin.end()
    }
    t.deepEqual(
      lines.map(({ site }) => site),
      ['issue-tracker', 'bad-tools', 'broken-manifest', 'contacts'],
    )
    t.is((await running).exitCode, 0, end)
  }

  async function eachIsThere(lines: { origin: string }[]): Promise<void> {
    for (const { origin } of lines) t.is((await askSite(`${origin}/.well-known/toolsite.json`)).status, 200)
    // The site that uses OAuth, the last one, sends browsers back to the address that it is told.
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
  }
})

test('without folder and ports there is a usage line', async (t) => {
  const { exitCode, stderr } = await execa(process.execPath, ['bin/sites.ts', '--ports', '1,2'], { reject: false })
  t.is(exitCode, 2)
  t.regex(stderr, /^Usage: /)
})

// @promise once
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { restoresOf } from '../../bin/admin/restores-of.ts'
import { writeBackup } from '../../src/backups/backup-file.ts'
import { load } from '../../src/backups/load.ts'
import { createDatabase } from '../../src/database/database.ts'
import { createLogger } from '../../src/logger.ts'
import { migrations } from '../../migrations/index.ts'
import { openSession, send } from '../chat/stage.ts'
import { createEmptyDatabase } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { startPlatform } from '../helpers/platform.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { connected, openStage } from './stage.ts'

test('a message that a client repeats after a restore is not answered anew, because its calls may be lost', async (t) => {
  const stage = await openStage(t, { sites: true })
  const { platform, sites, environment } = stage
  const { someone, vaultEntryId } = await connected(stage)
  const chosen = [{ vaultEntryId, tools: ['slow_once'] }]
  const session = await openSession(someone, { sites: chosen, onDisconnect: 'continue' })
  const headers = { 'content-type': 'application/json', 'x-session-token': session.token, 'idempotency-key': 'a-key' }
  const text = '[[wait 4]][[call slow_once {"seconds":0}]][[then]][[say Done.]]'
  const ask = (url = session.url) => send({ ...session, url }, { text, stream: true }, { headers })
  const requests = () => sites.badTools.requests().length

  const before = requests()
  const answer = ask()
  const { database } = platform.services
  await eventually(20, 'the model is asked', async () => {
    const running: unknown[] = await database('chat_answers').where({ status: 'running' })
    return running.length > 0 || undefined
  })
  const path = join(await temporaryFolder(t), 'backup')
  const { asOf } = await writeBackup({ database }, path)
  t.regex(await (await answer).text(), /Done\./)
  t.is(requests(), before + 1, 'the call is made after the backup')

  const { url } = await createEmptyDatabase(t)
  const target = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'), { deadlines: false })
  t.teardown(() => target.destroy())
  const announce = restoresOf(target, platform.config).announce
  await load(
    { database: target, migrations, before: async (trx) => void (await announce(trx, asOf)) },
    createReadStream(path),
  )
  t.deepEqual(await target('credit_holds').pluck('subjectId'), [])
  const restored = await startPlatform(t, { env: { ...environment, DATABASE_URL: url } })
  t.regex(await (await ask(restored.url)).text(), /restored from a backup/)
  t.is(requests(), before + 1)
})

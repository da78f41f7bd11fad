import { mkdir, writeFile } from 'node:fs/promises'
import test from 'ava'
import { scenes } from './scenes.ts'
import { recordingStage } from './stage.ts'

/*
 * Records anew what clients and models see of ten conversations and ten runs: npm run record-streams
 *
 * Do so when a change of that is wanted, and read the difference. A recording has no ids and no times, joins the pieces
 * of a text, and sorts what calls do at the same time.
 */
const open = recordingStage(
  test,
  scenes.map(({ name }) => name),
)

for (const { title, name, file, play } of scenes) {
  test(`records ${title}`, async (t) => {
    const stage = await open(t, name)
    await play(stage)
    await mkdir(new URL('.', file), { recursive: true })
    await writeFile(file, `${stage.finish().join('\n')}\n`)
    t.pass()
  })
}

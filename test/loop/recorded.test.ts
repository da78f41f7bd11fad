import { readFile } from 'node:fs/promises'
import test from 'ava'
import { scenes } from './scenes.ts'
import { recordingStage } from './stage.ts'

/* What clients and models see stays as it was recorded. Where a change is wanted: npm run record-streams */

const open = recordingStage(
  test,
  scenes.map(({ name }) => name),
)

for (const { title, name, file, play } of scenes) {
  test(`clients and models see what was recorded of ${title}`, async (t) => {
    const stage = await open(t, name)
    await play(stage)
    const recorded = (await readFile(file, 'utf8')).trimEnd().split('\n')
    t.deepEqual(stage.finish(), recorded)
  })
}

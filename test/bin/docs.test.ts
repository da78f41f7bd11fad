// @promise openapi
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { consoleTypesFile, markOf } from '../../bin/docs/console-types.ts'
import { generated } from '../../bin/docs.ts'

for (const [file, make] of Object.entries(generated)) {
  test(`${file} is what npm run docs would write now`, async (t) => {
    t.is(await read(file), make(), 'run: npm run docs')
  })
}

test("the console's types were generated from the API's document", async (t) => {
  const [document, types] = await Promise.all([read('docs/openapi.json'), read(consoleTypesFile)])
  t.true(types.startsWith(markOf(document)), 'run: npm run docs')
})

const read = (file: string): Promise<string> => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')

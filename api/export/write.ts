import { writeJson } from '../../src/json-text.ts'

/** A record and its own lists, which may be long. */
export interface Item {
  record: object
  lists?: Record<string, AsyncIterable<object>>
}

/** A part of an export: one record, or many. */
export interface Section {
  name: string
  /** An explanation for people who read the export without the platform. */
  about: string
  content: () => Promise<object> | AsyncIterable<Item>
}

/**
 * One JSON object, as pieces of text: the head, then a member for each section. Each record is read when it is written,
 * on a line of its own. The last member says that the export is complete.
 */
export async function* writeDocument(head: object, sections: readonly Section[]): AsyncGenerator<string> {
  const about = Object.fromEntries(sections.map((section) => [section.name, section.about]))
  yield open({ ...head, about })
  for (const { name, content } of sections) {
    yield `,\n"${name}":`
    const given = content()
    if (given instanceof Promise) yield writeJson(await given)
    else yield* writeList(given, writeItem)
  }
  yield ',\n"complete":true}\n'
}

async function* writeItem({ record, lists = {} }: Item): AsyncGenerator<string> {
  yield open(record)
  for (const [name, list] of Object.entries(lists)) {
    yield `,"${name}":`
    yield* writeList(list, writeRecord)
  }
  yield '}'
}

async function* writeRecord(record: object): AsyncGenerator<string> {
  yield writeJson(record)
}

async function* writeList<T>(
  list: AsyncIterable<T>,
  write: (item: T) => AsyncIterable<string>,
): AsyncGenerator<string> {
  let isFirst = true
  yield '['
  for await (const item of list) {
    yield isFirst ? '\n' : ',\n'
    isFirst = false
    yield* write(item)
  }
  yield ']'
}

/** The text of an object without its closing brace, so that members can follow. It needs at least one member. */
const open = (record: object): string => writeJson(record).slice(0, -1)

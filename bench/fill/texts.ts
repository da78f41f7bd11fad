import { escaped } from './copies.ts'

/** The inputs and answers of runs: as long as in the tour, and slightly different each time. */

const titles = [
  'The export hangs at 99 %',
  'Login fails on Safari',
  'The invoice has no number',
  'Search finds nothing',
]

export const payloadOf = (number: number, at: string): string =>
  escaped(
    JSON.stringify({
      event: 'post.created',
      post_id: number,
      author: 'Ada Lovelace',
      title: titles[number % titles.length],
      content: `Since this morning it happens every time, as customer ${number * 7} reports. Nothing of it was there before.`,
      category: number % 3 === 0 ? 'bug' : 'question',
      created_at: at,
    }),
  )

export const systemPrompt = 'File an issue for every post that reports a bug. Look for similar issues first.'

export const answers = [
  'This is the demo model: it follows fixed rules and understands nothing. Calling issue_tracker_create_issue, searchIssues.',
  'I filed an issue for the post and found no similar one. One call could not be made, because its tool has another name.',
].map(escaped)

export const argumentsOf = (number: number): string =>
  escaped(JSON.stringify({ title: titles[number % titles.length], body: `As post ${number} says.` }))

export const resultOf = (number: number): string =>
  escaped(JSON.stringify({ id: number, url: `https://issues.example.com/issues/${number}` }))

export const unknownTool = 'There is no tool named "searchIssues". Use only the tools offered to you.'

/** How a run was followed to its end. */
interface Followed {
  /** How many streams ended before the run did. */
  resumed: number
  problems: string[]
}

const mostStreams = 50

/**
 * Follows a run's events to its end as an EventSource does: a stream that ends is opened again with the last id. Names gaps,
 * repeated events and streams that are refused or cut off.
 */
export async function followRun(
  open: (init: RequestInit) => Promise<Response>,
  authorization: Record<string, string>,
): Promise<Followed> {
  const problems: string[] = []
  let last = 0
  for (let streams = 1; streams <= mostStreams; streams += 1) {
    const headers = {
      ...authorization,
      accept: 'text/event-stream',
      ...(last > 0 && { 'last-event-id': String(last) }),
    }
    const answer = await open({ headers })
    if (answer.status !== 200)
      return { resumed: streams - 1, problems: [...problems, `${answer.status} ${await answer.text()}`] }
    const { numbers, isOver } = readEvents(await answer.text())
    for (const number of numbers) {
      if (number !== last + 1) problems.push(`event ${number} came after ${last}`)
      last = number
    }
    if (isOver) return { resumed: streams - 1, problems }
  }
  return { resumed: mostStreams, problems: [...problems, 'the run never ended'] }
}

function readEvents(text: string): { numbers: number[]; isOver: boolean } {
  const blocks = text.split('\n\n').filter((block) => /^id: ?\d+$/m.test(block))
  return {
    numbers: blocks.map((block) => Number(/^id: ?(\d+)$/m.exec(block)?.[1])),
    isOver: blocks.some((block) => block.includes('"kind":"ended"')),
  }
}

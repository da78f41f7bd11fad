/**
 * The same day and time this many months later (UTC), or the month's last day. Counts from the anchor each time: 31
 * January, 28 February, 31 March.
 */
export function monthsAfter(anchor: Date, months: number): Date {
  const end = new Date(anchor)
  end.setUTCMonth(end.getUTCMonth() + months)
  // The day does not exist in that month, so the date has rolled over.
  if (end.getUTCDate() !== anchor.getUTCDate()) end.setUTCDate(0)
  return end
}

/** The value left of a month's price at a time, in cents: proportional to milliseconds, rounded to the nearest cent. */
export function shareLeft(cents: number, { start, end }: { start: Date; end: Date }, now: Date): number {
  const whole = end.getTime() - start.getTime()
  const left = Math.min(Math.max(0, end.getTime() - now.getTime()), whole)
  // Halves round up. BigInt divides exactly.
  return Number((2n * BigInt(cents) * BigInt(left) + BigInt(whole)) / (2n * BigInt(whole)))
}

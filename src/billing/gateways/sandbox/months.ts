/**
 * The same day and time so many months after (UTC), or that month's last day. Counted from the first day each time: 31
 * January, 28 February, 31 March.
 */
export function monthsAfter(anchor: Date, months: number): Date {
  const end = new Date(anchor)
  end.setUTCMonth(end.getUTCMonth() + months)
  // The day does not exist in that month, so the date has run into the next one.
  if (end.getUTCDate() !== anchor.getUTCDate()) end.setUTCDate(0)
  return end
}

/** What is left of a month's price at a time, in cents: in proportion to the milliseconds, rounded to the nearest cent. */
export function shareLeft(cents: number, { start, end }: { start: Date; end: Date }, now: Date): number {
  const whole = end.getTime() - start.getTime()
  const left = Math.min(Math.max(0, end.getTime() - now.getTime()), whole)
  // Halves are rounded up. All numbers stay below 2^53: 100,000 cents times the milliseconds of a month, twice.
  return Number((2n * BigInt(cents) * BigInt(left) + BigInt(whole)) / (2n * BigInt(whole)))
}

import { expect, test } from "vitest";
import { LiveArea } from "../../../src/cli/reporters/live.ts";
import type { Line, Screen } from "../../../src/cli/text/screen.ts";

function fakeScreen(columns = 20) {
  const written: string[] = [];
  const screen = {
    isLive: true,
    hasColor: false,
    columns,
    rows: 24,
    write: (text: string) => void written.push(text),
    flushed: async () => {},
  };
  return { screen: screen satisfies Screen, written };
}

const frame: Line[] = [[["one"]], [["two"]]];

test("a second picture is drawn over the first in one write", () => {
  const { screen, written } = fakeScreen();
  const area = new LiveArea(screen);
  area.draw(frame);
  area.draw(frame);
  expect(written).toEqual([
    "\x1b[?2026h\x1b[?25l\rone\x1b[K\ntwo\x1b[K\n\x1b[J\x1b[?2026l",
    "\x1b[?2026h\x1b[2A\rone\x1b[K\ntwo\x1b[K\n\x1b[J\x1b[?2026l",
  ]);
});

test("other text lands above the picture", () => {
  const { screen, written } = fakeScreen();
  const area = new LiveArea(screen);
  area.draw(frame);
  area.above("warning");
  expect(written[1]).toBe("\x1b[?2026h\x1b[2A\r\x1b[Jwarning\none\x1b[K\ntwo\x1b[K\n\x1b[J\x1b[?2026l");
});

test("closing clears the picture and gives the cursor back, once", () => {
  const { screen, written } = fakeScreen();
  const area = new LiveArea(screen);
  area.draw(frame);
  area.close();
  area.close();
  expect(written.slice(1)).toEqual(["\x1b[2A\r\x1b[J\x1b[?25h"]);
});

test("a terminal that became narrower is cleared from where the wrapped lines begin", () => {
  const { screen, written } = fakeScreen(20);
  const area = new LiveArea(screen);
  area.draw([[["x".repeat(19)]]]);
  screen.columns = 10;
  area.draw([[["x".repeat(19)]]]);
  expect(written[1]).toContain("\x1b[2A\r");
});

// Put into a copy of the report by browser_test.sh: uses the page as a person would and writes what it saw on <html>.
"use strict";
window.addEventListener("load", () => {
  const root = document.documentElement;
  const failures = [];
  const expect = (truth, text) => { if (!truth) failures.push(text); };
  const panels = document.getElementById("panels");
  const canvases = () => [...panels.querySelectorAll("canvas")];
  const view = () => panels.dataset.view.split(" ").map(Number);
  const pointer = (canvas, type, share) => {
    const box = canvas.getBoundingClientRect();
    const clientX = box.left + 54 + share * (box.width - 64);
    canvas.dispatchEvent(new PointerEvent(type, { clientX, clientY: box.top + 60, button: 0, bubbles: true }));
  };
  const key = (canvas, name, more) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, ...more }));
  const pixels = (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);

  // Where the highest pixel of the measured curve is: as a share of the width of the plot, and in pixels from the top.
  const peak = (canvas) => {
    const { data, width } = pixels(canvas);
    const style = getComputedStyle(root).getPropertyValue("--measured").trim();
    const wanted = [1, 3, 5].map((i) => parseInt(style.slice(i, i + 2), 16));
    for (let i = 0; i < data.length; i += 4) {
      if (wanted.every((value, k) => data[i + k] === value)) {
        const scale = width / canvas.clientWidth;
        return [(((i / 4) % width) / scale - 54) / (canvas.clientWidth - 64), i / 4 / width / scale];
      }
    }
    return [-1, -1];
  };

  expect(canvases().length === 7, "seven panels");
  const whole = view();
  expect(whole[0] === 0 && Math.abs(whole[1] - 19.98) < 1e-9, `the whole run at first: ${whole}`);
  // The line is 4.5 px wide; 2.25 of 500 pixels are 0.0045 of the width.
  const [at, from_top] = peak(canvases()[2]);
  expect(Math.abs(at - 6.5 / 19.98) < 0.006, `peak of joint 3 at ${at * 19.98} s`);
  expect(from_top > 12 && from_top < 25, `the peak is not cut off: ${from_top} pixels from the top`);

  const before = canvases().map((canvas) => canvas.toDataURL());
  pointer(canvases()[0], "pointerdown", 0.25);
  pointer(canvases()[0], "pointermove", 0.4);
  pointer(canvases()[0], "pointerup", 0.5);
  expect(Math.abs(view()[0] - 4.995) < 0.05 && Math.abs(view()[1] - 9.99) < 0.05, `zoomed by dragging: ${view()}`);
  expect(canvases().every((canvas, i) => canvas.toDataURL() !== before[i]), "all joints follow the zoom");
  expect(Math.abs(peak(canvases()[2])[0] - (6.5 - 4.995) / 4.995) < 0.012, "the peak moves with the zoom");
  expect(!document.getElementById("reset").disabled, "the zoom can be reset");
  canvases()[3].dispatchEvent(new MouseEvent("dblclick"));
  expect(view().join() === whole.join(), `double click resets: ${view()}`);

  key(canvases()[1], "+");
  expect(view()[1] - view()[0] < 0.51 * whole[1], `the plus key zooms: ${view()}`);
  const zoomed = view();
  key(canvases()[1], "ArrowRight", { shiftKey: true });
  expect(view()[0] > zoomed[0], "shift and arrow move the window");
  key(canvases()[1], "0");
  expect(view().join() === whole.join(), "the zero key resets");
  for (let i = 0; i < 40; ++i) key(canvases()[1], "+");
  expect(view()[1] > view()[0], "the window never vanishes");
  key(canvases()[1], "Escape");

  const rows = () => [...document.querySelectorAll("#base tbody tr")].map((row) => Number(row.cells[0].textContent));
  const button = document.querySelectorAll("#base th button")[5];
  const share = () => [...document.querySelectorAll("#base tbody tr")].map((row) => row.cells[5].dataset.order);
  button.click();
  const numbers = share().filter((text) => text !== undefined).map(Number);
  expect(numbers.every((value, i) => i === 0 || numbers[i - 1] <= value), "sorted by relative deviation");
  expect(share()[share().length - 1] === undefined, "rows without a number come last");
  expect(button.closest("th").getAttribute("aria-sort") === "ascending", "the heading says so");
  button.click();
  expect(Number(share()[0]) === Math.max(...numbers), "a second click turns the order round");
  document.querySelectorAll("#base th button")[0].click();
  expect(rows().every((value, i) => value === i + 1), "back in the first order");

  document.querySelectorAll("#runs button")[1].click();
  expect(canvases().length === 7 && document.querySelectorAll("#runs [aria-pressed=true]").length === 1, "the other run");

  // The cursor is drawn with the next frame, in all panels.
  pointer(canvases()[4], "pointermove", 0.5);
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const texts = [...panels.querySelectorAll(".readout")].map((span) => span.textContent);
    expect(texts.every((text) => text.startsWith(texts[0].split(":")[0] + ":")), `one cursor for all joints: ${texts}`);
    root.dataset.interaction = failures.length === 0 ? "passed" : "failed: " + failures.join("; ");
  }));
});

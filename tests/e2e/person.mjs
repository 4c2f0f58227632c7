/** One person at one browser: pointer and keys on the built card, and a cable to pull. */
import { Cable } from "../lib/cable.mjs";

export class Person {
  /** Opens `decision` of `space` in a browser context of `name`'s own. */
  static async sitDown(browser, relay, { name, space = "demo", decision }) {
    const cable = new Cable(relay.port);
    await cable.plug();
    const context = await browser.newContext({ viewport: { width: 1100, height: 900 } });
    return Person.#open(name, cable, context, decision, space);
  }

  /** The same person at the same browser, in one more tab. */
  anotherTab() {
    return Person.#open(this.name, this.cable, this.context, this.decision, this.space);
  }

  static async #open(name, cable, context, decision, space) {
    const page = await context.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.goto(`${cable.url}/?user=${name}#/${space}/${decision}`);
    const person = new Person(name, cable, context, page, decision, errors, space);
    await person.grid.waitFor();
    return person;
  }

  constructor(name, cable, context, page, decision, errors, space) {
    Object.assign(this, { name, cable, context, page, decision, errors, space });
    this.card = page.locator(`decision-card[decision="${decision}"]`).first();
    this.grid = this.card.getByRole("grid").or(this.card.getByRole("table")).first();
  }

  /** A cell by the labels that the screen shows. */
  cell(option, criterion) {
    const row = this.card.locator("tr").filter({ has: this.page.getByText(option, { exact: true }) });
    return row.locator(`[data-label="${criterion}"]`);
  }

  /** Marks by the keyboard: focus the cell, press the letter. */
  async press(option, criterion, key) {
    await this.cell(option, criterion).focus();
    await this.page.keyboard.press(key);
  }

  /** Marks by the pointer: unmarked, yes, partly, no, in turn. */
  async click(option, criterion) {
    await this.cell(option, criterion).click();
  }

  /** Picks an option by the pointer. */
  async pick(option) {
    await this.card.getByText(option, { exact: true }).first().click();
  }

  async addCriterion(label) {
    const field = this.card.getByRole("textbox", { name: "Add criterion" });
    if (!(await field.isVisible())) {
      await this.card.getByRole("button", { name: "Add criterion", exact: true }).click();
    }
    await field.fill(label);
    await field.press("Enter");
  }

  button(name) {
    return this.card.getByRole("button", { name, exact: true });
  }

  /** What the screen shows: marks by label, chosen rows, column labels; from the DOM alone. */
  screen() {
    return this.card.evaluate((card) => {
      const root = card.shadowRoot;
      const columns = [...root.querySelectorAll("thead th")].slice(1);
      const shown = { columns: columns.map((th) => th.firstElementChild.textContent), marks: {}, chosen: [] };
      for (const row of root.querySelectorAll("tbody tr")) {
        const label = row.querySelector(".label")?.textContent ?? "";
        if (row.querySelector("input")?.checked) shown.chosen.push(label);
        for (const cell of row.querySelectorAll("[data-mark]")) {
          if (cell.dataset.mark !== "none") shown.marks[`${label}/${cell.dataset.label}`] = cell.dataset.mark;
        }
      }
      return shown;
    });
  }

  /** The digest that a Save here would claim. */
  digest() {
    return this.card.evaluate((card) => card.handle?.snapshot()?.digest);
  }

  /** The sync state in words. */
  state() {
    return this.card.locator('[part~="sync"]').innerText();
  }

  async leave() {
    await this.context.close();
    await this.cable.cut();
  }
}

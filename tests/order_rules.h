#ifndef TS_TESTS_ORDER_RULES_H
#define TS_TESTS_ORDER_RULES_H

/* Adds the tests of the orders and widths that rules choose. */
void ts_order_rules_add(void);

#endif

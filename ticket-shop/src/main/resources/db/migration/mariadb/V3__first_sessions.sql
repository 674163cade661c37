INSERT INTO concert_session (id, name, price, stock) VALUES
    (1, 'Midsummer Night, main hall', 680.00, 10000),
    (2, 'Winter Tour, stadium', 320.00, 10000),
    (3, 'Unplugged, club stage', 180.00, 3),
    (4, 'Chamber Music, small hall', 95.50, 400);
